// Boost policy: what Boost's functions do at the edge of doubles: return infinity or NaN, never throw.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace hunch {

using BoostPolicy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

}  // namespace hunch
