#include "hunch/problems/regression_problems.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/posterior_data.hpp"

namespace hunch {
namespace {

// log prior of a model, up to a constant, as a function of the coefficients and the residual sd.
using ModelPrior = std::function<double(const Vector& coefficients, double sigma)>;

double flat(const Vector&, double) {
  return 0;
}
double cauchy(double x, double scale) {
  return -std::log1p(x / scale * (x / scale));
}
double cauchy_sigma(const Vector&, double sigma) {
  return cauchy(sigma, 2.5);
}

struct Regression {
  std::string name;
  Vector outcome;
  std::vector<Vector> covariates;  // besides the intercept
  ModelPrior prior = flat;
  Index intercepts = 1;  // or 0
};

Matrix design(const Regression& regression) {
  const Index first = regression.intercepts;
  const auto covariates = static_cast<Index>(regression.covariates.size());
  Matrix x = Matrix::Ones(regression.outcome.size(), first + covariates);
  for (Index k = 0; k < covariates; ++k)
    x.col(first + k) = regression.covariates[static_cast<std::size_t>(k)];
  return x;
}

// The residual sum of squares is |R b - z|^2 + rest, by a QR decomposition of the design beside the outcome:
// exact also where covariates are nearly collinear.
FreePriorProblem problem_from(const Regression& regression) {
  const Matrix x = design(regression);
  const Index count = x.rows(), p = x.cols();
  Matrix both(count, p + 1);
  both << x, regression.outcome;
  const Matrix triangle =
      both.householderQr().matrixQR().topRows(p + 1).triangularView<Eigen::Upper>().toDenseMatrix();
  const Matrix factor = triangle.topLeftCorner(p, p);
  const Vector projected = triangle.col(p).head(p);
  const double rest = triangle(p, p) * triangle(p, p);
  return {regression.name, p + 1,
          [factor, projected, rest, count, p, prior = regression.prior](const Vector& theta) {
            const Vector coefficients = theta.head(p);
            const double log_sigma = theta[p];
            const double squares = (factor * coefficients - projected).squaredNorm() + rest;
            return -0.5 * squares * std::exp(-2 * log_sigma) - static_cast<double>(count - 1) * log_sigma +
                   prior(coefficients, std::exp(log_sigma));
          }};
}

Vector indicator(const Vector& column, double level) {
  return (column.array() == level).cast<double>();
}

Vector times(const Vector& a, const Vector& b) {
  return a.cwiseProduct(b);
}

Vector standardised(const Vector& x) {
  const Vector away = x.array() - x.mean();
  return away / std::sqrt(away.squaredNorm() / static_cast<double>(x.size() - 1));
}

void add_earnings(std::vector<Regression>& list) {
  const PosteriorData data("earnings");
  const Vector &height = data.column("height"), &male = data.column("male"), &earn = data.column("earn");
  const Vector log_earn = data.log_column("earn"), z = standardised(height);
  list.push_back({"earnings-earn_height", earn, {height}});
  list.push_back({"earnings-log10earn_height", earn.array().log10(), {height}});
  list.push_back({"earnings-logearn_height", log_earn, {height}});
  list.push_back({"earnings-logearn_height_male", log_earn, {height, male}});
  list.push_back({"earnings-logearn_logheight_male", log_earn, {data.log_column("height"), male}});
  list.push_back({"earnings-logearn_interaction", log_earn, {height, male, times(height, male)}});
  list.push_back({"earnings-logearn_interaction_z", log_earn, {z, male, times(z, male)}});
}

void add_kidiq(std::vector<Regression>& list) {
  const PosteriorData data("kidiq");
  const Vector &score = data.column("kid_score"), &school = data.column("mom_hs"),
               &iq = data.column("mom_iq");
  list.push_back({"kidiq-kidscore_momhs", score, {school}, cauchy_sigma});
  list.push_back({"kidiq-kidscore_momiq", score, {iq}, cauchy_sigma});
  list.push_back({"kidiq-kidscore_momhsiq", score, {school, iq}, cauchy_sigma});
  list.push_back({"kidiq-kidscore_interaction", score, {school, iq, times(school, iq)}, cauchy_sigma});
}

void add_mesquite(std::vector<Regression>& list) {
  const PosteriorData data("mesquite");
  const auto log_of = [&](const char* name) { return data.log_column(name); };
  const Vector volume = log_of("diam1") + log_of("diam2") + log_of("canopy_height");
  list.push_back({"mesquite-logmesquite",
                  log_of("weight"),
                  {log_of("diam1"), log_of("diam2"), log_of("canopy_height"), log_of("total_height"),
                   log_of("density"), data.column("group")}});
  list.push_back({"mesquite-logmesquite_logvolume", log_of("weight"), {volume}});
}

void add_nes(std::vector<Regression>& list) {
  const PosteriorData data("nes1972");
  const Vector& age = data.column("age_discrete");
  list.push_back({"nes1972-nes",
                  data.column("partyid7"),
                  {data.column("real_ideo"), data.column("race_adj"), indicator(age, 2), indicator(age, 3),
                   indicator(age, 4), data.column("educ1"), data.column("gender"), data.column("income")}});
}

void add_kilpisjarvi(std::vector<Regression>& list) {
  const PosteriorData data("kilpisjarvi_mod");
  list.push_back(
      {"kilpisjarvi_mod-kilpisjarvi", data.column("y"), {data.column("x")}, [](const Vector& b, double) {
         const double intercept = (b[0] - 9.31290322580645) / 100;
         const double slope = b[1] / 0.0333333333333333;
         return -0.5 * (intercept * intercept + slope * slope);
       }});
}

void add_sblrc(std::vector<Regression>& list) {
  const PosteriorData data("sblrc");
  std::vector<Vector> covariates;
  for (const char* name : {"x1", "x2", "x3", "x4", "x5"}) covariates.push_back(data.column(name));
  list.push_back({"sblrc-blr", data.column("y"), covariates,
                  [](const Vector& b, double sigma) { return -0.005 * (b.squaredNorm() + sigma * sigma); },
                  0});
}

// An autoregression of order five: covariates are the series itself, one to five steps earlier.
void add_autoregression(std::vector<Regression>& list) {
  constexpr Index order = 5;
  const PosteriorData data("arK");
  const Vector& series = data.column("y");
  const Index kept = series.size() - order;
  std::vector<Vector> earlier;
  for (Index lag = 1; lag <= order; ++lag) earlier.emplace_back(series.segment(order - lag, kept));
  list.push_back({"arK-arK", series.tail(kept), earlier, [](const Vector& b, double sigma) {
                    return cauchy(sigma, 2.5) - 0.005 * b.squaredNorm();
                  }});
}

}  // namespace

std::vector<FreePriorProblem> regression_problems() {
  std::vector<Regression> list;
  add_earnings(list);
  add_kidiq(list);
  add_mesquite(list);
  add_nes(list);
  add_kilpisjarvi(list);
  add_sblrc(list);
  add_autoregression(list);
  std::vector<FreePriorProblem> problems;
  for (const Regression& regression : list) problems.push_back(problem_from(regression));
  return problems;
}

}  // namespace hunch
