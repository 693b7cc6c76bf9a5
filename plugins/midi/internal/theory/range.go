package theory

// compass is the range of instruments as MIDI notes, for runs of General MIDI programs.
// Orchestral ones are the sounding ranges in the orchestration books of N.
// Rimsky-Korsakov and W. Piston, extended to what soloists reach; those of keyboards
// are from their makers. Synthesizers have no limit.
var compass = [...]struct{ first, last, low, high int }{
	{0, 3, 21, 108},    // pianos: A0 to C8
	{4, 5, 28, 103},    // electric pianos, 73 and 76 keys: E1 to G7
	{6, 6, 29, 89},     // harpsichord: F1 to F6
	{7, 7, 29, 88},     // clavinet: F1 to E6
	{8, 8, 60, 108},    // celesta: C4 to C8
	{9, 9, 72, 108},    // glockenspiel: C5 to C8
	{11, 11, 53, 89},   // vibraphone: F3 to F6
	{12, 12, 36, 96},   // marimba: C2 to C7
	{13, 13, 65, 108},  // xylophone: F4 to C8
	{14, 14, 60, 77},   // tubular bells: C4 to F5
	{24, 25, 40, 84},   // guitars: E2 to C6
	{26, 30, 40, 88},   // electric guitars: E2 to E6
	{32, 32, 28, 67},   // double bass, plucked: E1 to G4
	{33, 37, 23, 67},   // bass guitars, five strings: B0 to G4
	{40, 40, 55, 105},  // violin: G3 to A7
	{41, 41, 48, 93},   // viola: C3 to A6
	{42, 42, 36, 84},   // cello: C2 to C6
	{43, 43, 24, 67},   // contrabass, C string: C1 to G4
	{46, 46, 23, 104},  // harp: B0 (Cb1) to G#7
	{47, 47, 36, 60},   // timpani: C2 to C4
	{56, 56, 52, 87},   // trumpet: E3 to Eb6
	{57, 57, 28, 77},   // trombone: E1 to F5
	{58, 58, 24, 65},   // tuba: C1 to F4
	{59, 59, 52, 87},   // muted trumpet
	{60, 60, 31, 77},   // horn: G1 (pedals left out) to F5
	{64, 64, 56, 91},   // soprano sax: Ab3 to G6
	{65, 65, 49, 87},   // alto sax: Db3 to Eb6
	{66, 66, 44, 81},   // tenor sax: Ab2 to A5
	{67, 67, 36, 76},   // baritone sax: C2 to E5
	{68, 68, 58, 93},   // oboe: Bb3 to A6
	{69, 69, 52, 84},   // english horn: E3 to C6
	{70, 70, 34, 77},   // bassoon: Bb1 to F5
	{71, 71, 50, 96},   // clarinet: D3 to C7
	{72, 72, 74, 108},  // piccolo: D5 to C8
	{73, 73, 59, 98},   // flute: B3 to D7
	{105, 105, 48, 88}, // banjo
}

// Compass returns the lowest and highest note (0-127) of the instrument of a General
// MIDI program (0-127). ok is false if there is no limit.
func Compass(program int) (low, high int, ok bool) {
	for i := range compass {
		if c := &compass[i]; program >= c.first && program <= c.last {
			return c.low, c.high, true
		}
	}
	return 0, 127, false
}
