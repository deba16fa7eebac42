// A library written in C++ that lets its exceptions out, and offers no gradient.
#include <stdexcept>

#include "hunch/model/hunch_model.h"

int hunch_model_abi() {
  return HUNCH_MODEL_ABI;
}

int hunch_model_dimension() {
  return 1;
}

int hunch_model_log_likelihood(const double* theta, int, double* log_likelihood, double*, char*, int) {
  if (theta[0] > 1) throw std::domain_error("above one");
  if (theta[0] > 0) throw 3;
  *log_likelihood = theta[0];
  return 0;
}
