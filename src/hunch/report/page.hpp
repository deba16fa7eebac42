// Page: a run as one HTML file that needs nothing else: no network, no other file; readable without its
// script.
#pragma once

#include <string>

#include "hunch/report/report_data.hpp"

namespace hunch {

std::string report_page(const ReportData& data);

// What `hunch watch` serves: an empty page that takes over the newest report from /report.html, and words on
// how the run goes from /status.
std::string live_page(const std::string& name);

// The Content-Security-Policy of live_page, to be sent as a header too.
std::string live_policy();

}  // namespace hunch
