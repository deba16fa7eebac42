// Lens: what of a position the surrogate sees: coordinates in which the posterior is about one unit wide, and
// in which a log-likelihood is as smooth as can be.
#pragma once

#include <optional>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// Coordinates in which the posterior is about one unit wide: z = factor^-1 (x - centre).
struct Frame {
  Vector centre;
  Matrix factor;  // a lower triangle, as is its inverse
  Matrix inverse;

  // The covariance must be positive definite.
  static Frame of(const Vector& centre, const Matrix& covariance);
};

// How one coordinate is seen. A likelihood that hardly changes where a positive parameter nears zero is flat
// in that parameter, but has a bend in its logarithm that no quadratic has.
enum class Scale {
  position,  // as it is: the logarithm of a positive parameter
  above,     // exp(x): the distance of a parameter from its lower end
  below,     // -exp(-x): from its upper end
  between,   // 1 / (1 + exp(-x)): between two ends
};

// First each coordinate on its scale, then a frame of those.
class Lens {
 public:
  explicit Lens(Frame frame);  // every coordinate as it is
  // What the frame of positions is, near its centre, through these scales.
  Lens(std::vector<Scale> scales, const Frame& of_positions);
  // By draws that stand for the posterior: columns, with weights that sum to one.
  Lens(std::vector<Scale> scales, const Matrix& positions, const Vector& weights);

  const std::vector<Scale>& scales() const { return scales_; }
  const Frame& frame() const { return frame_; }

  void look(const Vector& x, Vector& z) const;
  Matrix look(const Matrix& xs) const;
  // From a gradient with respect to z to one with respect to x.
  void pull_back(const Vector& x, const Vector& slope, Vector& gradient) const;
  // And back: from a gradient with respect to x to one with respect to z. None where a coordinate hardly
  // moves with its position: there a gradient's rounding would be taken for a slope.
  std::optional<Vector> push_forward(const Vector& x, const Vector& gradient) const;

 private:
  void set_origin(const Vector& middle);
  void pass(const Vector& x, Vector& u) const;

  std::vector<Scale> scales_;
  Vector origin_;  // exponentials are of distances from here
  bool straight_;  // no coordinate is bent
  Frame frame_;
};

}  // namespace hunch
