// ProcessTable: which processes live on this machine, in which session, and which of them carry a mark of
// ours.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hunch {

struct LivingProcess {
  pid_t number;
  pid_t session;
  std::string_view environment;  // empty when it is not ours to see
};

// Calls `see` for every process but this one. A zombie, which nobody can end any more, is not among them.
void visit_living(const std::function<void(const LivingProcess&)>& see);

// A word that no process has in its environment yet. `owner` is where in this process it belongs.
std::string fresh_mark(const void* owner);

// Whoever is started with this environment, and its offspring unless it wipes it, carries the mark; marks
// that are there already stay.
void put_mark(std::vector<std::string>& environment, const std::string& mark);

}  // namespace hunch
