"""Prints the notes of MIDI files as mido reads them: a JSON object with, for
each path given, its "notes", a list of [track, tick, length, channel, pitch,
velocity], and its length in "seconds"."""

import json
import sys

import mido

answer = {}
for path in sys.argv[1:]:
    song = mido.MidiFile(path, clip=False)
    notes = []
    for number, track in enumerate(song.tracks):
        tick, sounding = 0, {}
        for message in track:
            tick += message.time
            if message.type == "note_on" and message.velocity > 0:
                sounding.setdefault((message.channel, message.note), []).append((tick, message.velocity))
            elif message.type in ("note_on", "note_off"):
                started = sounding.get((message.channel, message.note))
                if started:
                    start, velocity = started.pop(0)
                    notes.append([number, start, tick - start, message.channel + 1, message.note, velocity])
    answer[path] = {"notes": sorted(notes), "seconds": song.length}
json.dump(answer, sys.stdout)
