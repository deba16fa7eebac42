// Parallel: the same work for 0 .. count-1, on a few threads, in no particular order.
#pragma once

#include <functional>

#include "hunch/core/types.hpp"

namespace hunch {

// Calls work(i) once for each i; returns when all are done. The first exception thrown is rethrown here,
// after the others have finished; work not yet begun is then left out.
void for_each_index(Index count, int workers, const std::function<void(Index)>& work);

}  // namespace hunch
