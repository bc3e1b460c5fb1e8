/* What a mechanism is to the engine: who carries decisions out, and what it can see. */
#ifndef TD_MECH_MECH_H
#define TD_MECH_MECH_H

struct td_mech {
	const char *name; /* in a sentence: "the functional simulator" */
	unsigned gives;   /* signals at best, of enum tide_needs; an input may give fewer */
};

#endif
