// StudyMethod: the methods that the efficiency study compares, by name, as settings of a run.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "hunch/run/run.hpp"

namespace hunch {

struct StudyMethod {
  std::string name;
  RunSettings settings;  // what distinguishes the method; lengths and seeds are the study's
  // With more parameters than this it takes hours: left out unless asked for by name.
  Index most_parameters = std::numeric_limits<Index>::max();
  // Draws of a surrogate are free: so many times more that their Monte Carlo error hides no false
  // certificate.
  Index draws_factor = 1;
};

const std::vector<StudyMethod>& study_methods();

const StudyMethod& study_method(const std::string& name);  // throws InputError that lists the known ones

// What burn-in starts from when nothing is known but the prior: steps of a tenth of its spread.
Proposal first_proposal(const Parameters& parameters, Method method);

}  // namespace hunch
