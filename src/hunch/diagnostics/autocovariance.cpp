#include "hunch/diagnostics/autocovariance.hpp"

#include <bit>
#include <complex>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "hunch/diagnostics/pooled.hpp"

namespace hunch {

// The inverse transform of |FFT(y)|^2 is the circular sum of y_i y_{i+t}; zeros after y make it the plain
// sum. The transform is linear, so the chains' power spectra are added and inverted once.
Vector mean_autocovariance(const Matrix& x) {
  const Index n = x.rows();
  if (n == 0 || x.cols() == 0) return Vector::Zero(n);
  const auto size = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(std::max<Index>(2 * n, 4))));
  const Index half = size / 2 + 1;

  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  Vector padded = Vector::Zero(size);
  Eigen::VectorXcd spectrum(half);
  Eigen::VectorXcd power = Eigen::VectorXcd::Zero(half);
  for (Index chain = 0; chain < x.cols(); ++chain) {
    padded.head(n) = x.col(chain).array() - accurate_mean(x.col(chain));
    fft.fwd(spectrum.data(), padded.data(), size);
    power.real() += spectrum.cwiseAbs2();
  }
  Vector sums(size);
  fft.inv(sums.data(), power.data(), size);
  return sums.head(n) / static_cast<double>(n * x.cols());
}

}  // namespace hunch
