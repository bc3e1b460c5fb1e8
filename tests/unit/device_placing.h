/* Placements as their parameters' defaults settle them, for tests that do not link the library. */
#ifndef TIDE_TEST_DEVICE_PLACING_H
#define TIDE_TEST_DEVICE_PLACING_H

#include "tide/device/placements.h"
#include "tide/placement.h"

static inline struct tide_placing device_placing(enum tide_places place)
{
	switch (place) {
	case TIDE_PLACES_random: return (struct tide_placing){.real = 0.5};
	case TIDE_PLACES_reuse:
		return (struct tide_placing){
			.page_words = 1, .window = 1024, .rate = 1, .choice = {1}};
	case TIDE_PLACES_worth:
		return (struct tide_placing){.page_words = 2, .weighs = 1, .rate = 1};
	default: return (struct tide_placing){0};
	}
}

#endif
