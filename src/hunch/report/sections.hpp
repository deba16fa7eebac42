// Sections: the parts of the page, in the order of reading; each is empty where a run has nothing to show.
#pragma once

#include "hunch/report/findings.hpp"
#include "hunch/report/markup.hpp"

namespace hunch {

Markup verdict_section(const ReportData& data, const Findings& findings);
Markup summary_section(const ReportData& data, const Findings& findings);
Markup marginal_section(const ReportData& data, const Findings& findings);
Markup pair_section(const ReportData& data, const Findings& findings);
Markup chain_section(const ReportData& data, const Findings& findings);
Markup growth_section(const ReportData& data, const Findings& findings);
Markup bill_section(const ReportData& data, const Findings& findings);
Markup surrogate_section(const ReportData& data);
// Its last part, of the evaluations whose predictions are looked at, in the order of payment.
using Compared = std::vector<const ReportEvaluation*>;
Markup unsure_part(const ReportData& data, const Compared& all);
Markup failure_section(const ReportData& data);
Markup time_section(const ReportData& data);
Markup settings_section(const ReportData& data);

// A heading with its text and figures, to be linked to by id.
Markup section(Literal id, Literal heading, const Markup& content);
Markup paragraph(std::string_view words);
Markup grid_of(const Markup& figures);

}  // namespace hunch
