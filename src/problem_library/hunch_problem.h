/* The built-in problems as a C library, so that other samplers draw from the very same densities.
   Positions are unconstrained. One problem is to be used by one thread at a time. */
#ifndef HUNCH_PROBLEM_H
#define HUNCH_PROBLEM_H

#include <stdint.h>

#define HUNCH_PROBLEM_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

struct hunch_problem;

/* By a name that `hunch problems` lists, with its default data; NULL if there is none such. */
HUNCH_PROBLEM_API struct hunch_problem* hunch_problem_open(const char* name);
HUNCH_PROBLEM_API void hunch_problem_close(struct hunch_problem* problem);

HUNCH_PROBLEM_API int hunch_problem_dimension(const struct hunch_problem* problem);

/* Log density of the posterior at a position, up to a constant; minus infinity where it is zero. One
   evaluation, unless the prior alone is zero there. The gradient with respect to the position is written
   unless `gradient` is NULL; it is zero where the density is. */
HUNCH_PROBLEM_API double hunch_problem_log_posterior(struct hunch_problem* problem, const double* position,
                                                     double* gradient);

/* Evaluations of the likelihood since the problem was opened. */
HUNCH_PROBLEM_API int64_t hunch_problem_evaluations(const struct hunch_problem* problem);

/* A position drawn from the prior; the same for the same seed, chain and attempt. */
HUNCH_PROBLEM_API void hunch_problem_prior_start(const struct hunch_problem* problem, uint64_t seed,
                                                 uint32_t chain, uint64_t attempt, double* position);

/* Half the distance between the prior's 16 % and 84 % quantiles, in positions; 1 where it is improper. */
HUNCH_PROBLEM_API void hunch_problem_prior_spread(const struct hunch_problem* problem, double* spread);

#ifdef __cplusplus
}
#endif

#endif
