/* A library of an interface that does not exist yet. */
#include "hunch/model/hunch_model.h"

int hunch_model_abi(void) { return HUNCH_MODEL_ABI + 1; }
