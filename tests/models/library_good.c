/* A likelihood as a shared library should be: -0.5 (x^2 + 2 y^2), with its gradient, from any thread. */
#include <stddef.h>

#include "hunch/model/hunch_model.h"

int hunch_model_abi(void) { return HUNCH_MODEL_ABI; }
int hunch_model_dimension(void) { return 2; }
int hunch_model_has_gradient(void) { return 1; }
int hunch_model_thread_safe(void) { return 1; }

int hunch_model_log_likelihood(const double* theta, int n, double* log_likelihood, double* gradient,
                               char* message, int message_size) {
  (void)n, (void)message, (void)message_size;
  *log_likelihood = -0.5 * (theta[0] * theta[0] + 2 * theta[1] * theta[1]);
  if (gradient != NULL) {
    gradient[0] = -theta[0];
    gradient[1] = -2 * theta[1];
  }
  return 0;
}
