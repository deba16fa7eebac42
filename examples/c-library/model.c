/* A dose-response curve as a likelihood in a shared library: how many of 20 beetles died at each of 8 doses.
   The chance to die at dose x (a logarithm) is 1 / (1 + exp(-(intercept + slope x))). */
#include <math.h>
#include <stddef.h>

#include "hunch/model/hunch_model.h"

enum { GROUPS = 8, BEETLES = 20 };

/* Made with intercept = 0.5, slope = 2. */
static const double dose[GROUPS] = {-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2};
static const int died[GROUPS] = {0, 3, 11, 13, 12, 18, 18, 20};

/* log(1 + exp(z)), without overflow. */
static double softplus(double z) {
  return fmax(z, 0) + log1p(exp(-fabs(z)));
}

int hunch_model_abi(void) {
  return HUNCH_MODEL_ABI;
}

int hunch_model_dimension(void) {
  return 2;
}

int hunch_model_thread_safe(void) {
  return 1;
}

int hunch_model_has_gradient(void) {
  return 1;
}

int hunch_model_log_likelihood(const double* theta, int n, double* log_likelihood, double* gradient,
                               char* message, int message_size) {
  (void)n, (void)message, (void)message_size; /* n is what hunch_model_dimension said; nothing can fail */
  double total = 0, by_intercept = 0, by_slope = 0;
  for (int i = 0; i < GROUPS; ++i) {
    const double z = theta[0] + theta[1] * dose[i];
    const double excess = died[i] - BEETLES / (1 + exp(-z));
    total += died[i] * z - BEETLES * softplus(z);
    by_intercept += excess;
    by_slope += excess * dose[i];
  }
  *log_likelihood = total;
  if (gradient != NULL) {
    gradient[0] = by_intercept;
    gradient[1] = by_slope;
  }
  return 0;
}
