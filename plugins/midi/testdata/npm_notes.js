// Prints the notes of MIDI files as the npm packages midi-file and
// @tonejs/midi read them: for each path a list each of [track, tick, length,
// channel, pitch, velocity], null where the package does not read the file.
const fs = require("fs");
const parse = require("midi-file").parseMidi;
const { Midi } = require("@tonejs/midi");

const order = (a, b) => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
};

function byMidiFile(data) {
  const notes = [];
  parse(data).tracks.forEach((track, number) => {
    let tick = 0;
    const sounding = {};
    for (const e of track) {
      tick += e.deltaTime;
      if (e.type !== "noteOn" && e.type !== "noteOff") continue;
      const key = e.channel * 128 + e.noteNumber;
      const on = e.type === "noteOn" && e.velocity > 0;
      if (on) (sounding[key] = sounding[key] || []).push([tick, e.velocity]);
      else if (sounding[key] && sounding[key].length > 0) {
        const [start, velocity] = sounding[key].shift();
        notes.push([number, start, tick - start, e.channel + 1, e.noteNumber, velocity]);
      }
    }
  });
  return notes.sort(order);
}

// @tonejs/midi splits the tracks of format 0 by channel and knows one channel
// a track: the caller does not compare tracks and channels.
function byTone(data) {
  const notes = [];
  for (const t of new Midi(data).tracks)
    for (const n of t.notes) notes.push([0, n.ticks, n.durationTicks, 0, n.midi, Math.round(n.velocity * 127)]);
  return notes.sort(order);
}

const attempt = (read, data) => {
  try {
    return read(data);
  } catch (e) {
    return null;
  }
};

const answer = {};
for (const path of process.argv.slice(2)) {
  const data = fs.readFileSync(path);
  answer[path] = { midiFile: attempt(byMidiFile, data), tone: attempt(byTone, data) };
}
process.stdout.write(JSON.stringify(answer));
