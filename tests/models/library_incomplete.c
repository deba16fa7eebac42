/* A library without a likelihood. */
#include "hunch/model/hunch_model.h"

int hunch_model_abi(void) { return HUNCH_MODEL_ABI; }
int hunch_model_dimension(void) { return 2; }
