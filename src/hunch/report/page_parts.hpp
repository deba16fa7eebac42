// PageParts: the style and the scripts that are written into the page, the same for every run.
#pragma once

#include <string>
#include <string_view>

namespace hunch {

std::string_view page_style();
std::string_view page_script();  // read-outs by pointer and keyboard, light and dark
std::string_view live_script();  // takes the newest report over every few seconds

// As a Content-Security-Policy names it: 'sha256-...'.
std::string policy_hash(std::string_view text);

}  // namespace hunch
