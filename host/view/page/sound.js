// Sound: plays the notes of a document with Web Audio. Each note is scheduled shortly before its time, which is from the domain.

const lookahead = 0.25; // seconds; notes are scheduled at most that long before their time
const schedulePeriod = 60; // milliseconds

// voices has a simple sound for each of the first families of General MIDI instruments; the last one is for all others. Each has a
// wave form, the attack and the decay in seconds, and the level after the decay.
const voices = [["triangle", 0.005, 0.9, 0.15], ["sine", 0.003, 0.7, 0.1], ["square", 0.01, 0.3, 0.6], ["triangle", 0.004, 0.6, 0.1], ["triangle", 0.006, 0.7, 0.35], ["sawtooth", 0.06, 0.2, 0.8],
  ["sawtooth", 0.08, 0.2, 0.8], ["sawtooth", 0.03, 0.2, 0.7], ["square", 0.03, 0.2, 0.6], ["sine", 0.03, 0.2, 0.8], ["sawtooth", 0.01, 0.2, 0.6], ["triangle", 0.15, 0.3, 0.8]];

function makeSound(onTime, onEnd) {
  let context = null, output = null, notes = [], levels = [], next = 0, nextLevel = 0, start = 0, timer = 0, frame = 0, playing = false;
  const sounding = new Set(), channels = new Map();
  const end = () => notes.reduce((most, n) => Math.max(most, n[0] + n[1]), 0);
  const now = () => (context.currentTime - start) * 1000;

  function makeNoise() {
    const b = context.createBuffer(1, context.sampleRate / 2, context.sampleRate), d = b.getChannelData(0);
    for (let i = 0; i < d.length; i++) d[i] = Math.random() * 2 - 1;
    return b;
  }
  let noiseBuffer = null;

  // channel returns the gain node of a MIDI channel.
  function channel(number) {
    let gain = channels.get(number);
    if (!gain) {
      gain = context.createGain();
      gain.connect(output);
      channels.set(number, gain);
    }
    return gain;
  }
  const loudness = (level) => (level / 100) ** 2; // the curve of General MIDI; a channel without a level has gain 1

  // setLevel sets the loudness of a channel from a time on: immediately with atOnce, otherwise by a short ramp that avoids clicks.
  function setLevel([at, number, level], atOnce) {
    const gain = channel(number).gain, t = Math.max(context.currentTime, start + at / 1000);
    if (atOnce) gain.setValueAtTime(loudness(level), context.currentTime);
    else gain.setTargetAtTime(loudness(level), t, 0.008);
  }

  function playNote(n) {
    const [at, length, key, velocity, number, program] = n;
    const t = Math.max(context.currentTime, start + at / 1000), volume = 0.22 * (velocity / 127) ** 1.5, gain = context.createGain();
    let source, stop;
    if (number == 10) {
      const low = key < 38 || key >= 41 && key <= 50 && key % 2;
      if (low) {
        source = context.createOscillator();
        source.frequency.setValueAtTime(key < 38 ? 120 : 90 + (key - 40) * 12, t);
        source.frequency.exponentialRampToValueAtTime(45, t + 0.12);
      } else {
        source = context.createBufferSource();
        source.buffer = noiseBuffer ||= makeNoise();
        const filter = context.createBiquadFilter();
        filter.type = "highpass";
        filter.frequency.value = key == 38 || key == 40 ? 1200 : 6000;
        source.connect(filter).connect(gain);
      }
      stop = t + (low ? 0.25 : key == 46 || key > 48 ? 0.4 : 0.12);
      gain.gain.setValueAtTime(volume * 1.6, t);
      gain.gain.exponentialRampToValueAtTime(0.0005, stop);
      if (low) source.connect(gain);
    } else {
      const [wave, attack, decay, level] = voices[Math.min(program >> 3, voices.length - 1)];
      source = context.createOscillator();
      source.type = wave;
      source.frequency.value = 440 * 2 ** ((key - 69) / 12);
      const until = Math.max(t + attack + 0.02, start + (at + length) / 1000), peak = wave == "sine" || wave == "triangle" ? volume : volume * 0.45;
      gain.gain.setValueAtTime(0, t);
      gain.gain.linearRampToValueAtTime(peak, t + attack);
      gain.gain.setTargetAtTime(peak * level, t + attack, decay / 3);
      gain.gain.setTargetAtTime(0, until, 0.05);
      stop = until + 0.3;
      source.connect(gain);
    }
    gain.connect(channel(number));
    source.start(t);
    source.stop(stop);
    sounding.add(source);
    source.onended = () => {
      sounding.delete(source);
      gain.disconnect();
    };
  }

  function schedule() {
    const to = now() + lookahead * 1000;
    while (nextLevel < levels.length && levels[nextLevel][0] <= to) setLevel(levels[nextLevel++]);
    while (next < notes.length && notes[next][0] <= to) playNote(notes[next++]);
    if (now() > end() + 300) stop(true);
  }

  function reportTime() {
    if (!playing) return;
    onTime(Math.max(0, now()));
    frame = requestAnimationFrame(reportTime);
  }

  function clear() {
    clearInterval(timer);
    cancelAnimationFrame(frame);
    for (const s of sounding) s.stop();
    sounding.clear();
    for (const gain of channels.values()) gain.disconnect();
    channels.clear();
    playing = false;
  }

  function stop(ended) {
    if (!playing) return;
    const at = ended ? 0 : now();
    clear();
    onEnd(at);
  }

  return {
    playing: () => playing,
    end,
    // play plays a song from a time in milliseconds. Its notes and levels must be sorted by time.
    async play(song, from) {
      clear();
      context ||= new AudioContext();
      if (!output) {
        output = context.createDynamicsCompressor();
        output.connect(context.destination);
      }
      await context.resume();
      ({notes, levels} = song);
      start = context.currentTime + 0.08 - from / 1000;
      next = notes.findIndex((n) => n[0] >= from);
      if (next < 0) next = notes.length;
      const before = new Map();
      for (nextLevel = 0; nextLevel < levels.length && levels[nextLevel][0] <= from; nextLevel++) before.set(levels[nextLevel][1], levels[nextLevel]);
      for (const level of before.values()) setLevel(level, true);
      playing = true;
      schedule();
      timer = setInterval(schedule, schedulePeriod);
      reportTime();
    },
    stop: () => stop(false),
  };
}

// xAt returns the x coordinate of a time in the picture, null if the time is outside of it.
function xAt(times, ms) {
  for (let i = 1; i < times.length; i++) {
    const [t0, x0] = times[i - 1], [t1, x1] = times[i];
    if (ms >= t0 && ms <= t1) return x0 + (x1 - x0) * (t1 > t0 ? (ms - t0) / (t1 - t0) : 0);
  }
  return null;
}

// timeAt is the inverse of xAt. For an x outside of the picture it returns the time at the nearer end.
function timeAt(times, x) {
  if (x <= times[0][1]) return times[0][0];
  for (let i = 1; i < times.length; i++) {
    const [t0, x0] = times[i - 1], [t1, x1] = times[i];
    if (x <= x1) return t0 + (t1 - t0) * (x1 > x0 ? (x - x0) / (x1 - x0) : 0);
  }
  return times.at(-1)[0];
}
