// How well does the ground let water through? A simulator of steady groundwater flow, which Hunch asks.
//
//   diffusion --grid N --data FILE                      a line of parameters in, a log-likelihood out, ...
//   diffusion --grid N --data FILE --heads a b c d e    prints the heads at the wells, for make_data.py
//
// The head u solves  -div(exp(k) grad u) = 1  in the unit square, u = 0 on its edge: rain falls everywhere
// and drains to a river around. The log-conductivity is
//   k = a + b cos(pi x) + c cos(pi y) + d cos(pi x) cos(pi y) + e cos(2 pi x).
// Finite volumes on N x N cells; conjugate gradients with an incomplete Cholesky factor.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::array<const char*, 5> names{"a", "b", "c", "d", "e"};
using Parameters = std::array<double, 5>;
using Cells = std::vector<double>;

double conductivity(const Parameters& p, double x, double y) {
  const double cx = std::cos(std::numbers::pi * x), cy = std::cos(std::numbers::pi * y);
  return std::exp(p[0] + p[1] * cx + p[2] * cy + p[3] * cx * cy + p[4] * std::cos(2 * std::numbers::pi * x));
}

// The matrix of an N x N grid: a diagonal, and what connects a cell with its neighbours to the east and
// north.
struct Matrix {
  int n;
  Cells diagonal, east, north;

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(j) * n + i; }
};

double harmonic(double a, double b) {
  return 2 * a * b / (a + b);
}

Matrix assemble(int n, const Parameters& p) {
  Cells k(static_cast<std::size_t>(n) * n);
  Matrix m{n, Cells(k.size()), Cells(k.size()), Cells(k.size())};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) k[m.at(i, j)] = conductivity(p, (i + 0.5) / n, (j + 0.5) / n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const std::size_t c = m.at(i, j);
      const int edges = (i == 0) + (i == n - 1) + (j == 0) + (j == n - 1);
      m.diagonal[c] += 2 * edges * k[c];  // to the river, half a cell away
      if (i + 1 < n) m.east[c] = harmonic(k[c], k[c + 1]);
      if (j + 1 < n) m.north[c] = harmonic(k[c], k[c + n]);
      m.diagonal[c] += m.east[c] + m.north[c];
      if (i + 1 < n) m.diagonal[c + 1] += m.east[c];
      if (j + 1 < n) m.diagonal[c + n] += m.north[c];
    }
  return m;
}

Cells times(const Matrix& m, const Cells& u) {
  const std::size_t n = m.n, size = u.size();
  Cells result(size);
  for (std::size_t c = 0; c < size; ++c) {
    double sum = m.diagonal[c] * u[c];
    if (c + 1 < size) sum -= m.east[c] * u[c + 1];  // zero at the last cell of a row
    if (c >= 1) sum -= m.east[c - 1] * u[c - 1];
    if (c + n < size) sum -= m.north[c] * u[c + n];
    if (c >= n) sum -= m.north[c - n] * u[c - n];
    result[c] = sum;
  }
  return result;
}

// One over the pivots of the incomplete factor, which keeps the matrix's own pattern.
Cells inverse_pivots(const Matrix& m) {
  const std::size_t n = m.n;
  Cells inverse(m.diagonal.size());
  for (std::size_t c = 0; c < inverse.size(); ++c) {
    double pivot = m.diagonal[c];
    if (c >= 1) pivot -= m.east[c - 1] * m.east[c - 1] * inverse[c - 1];
    if (c >= n) pivot -= m.north[c - n] * m.north[c - n] * inverse[c - n];
    inverse[c] = 1 / pivot;
  }
  return inverse;
}

Cells preconditioned(const Matrix& m, const Cells& inverse, const Cells& residual) {
  const std::size_t n = m.n, size = residual.size();
  Cells z(size);
  for (std::size_t c = 0; c < size; ++c) {
    double sum = residual[c];
    if (c >= 1) sum += m.east[c - 1] * z[c - 1];
    if (c >= n) sum += m.north[c - n] * z[c - n];
    z[c] = sum * inverse[c];
  }
  for (std::size_t c = size; c-- > 0;) {
    double sum = 0;
    if (c + 1 < size) sum += m.east[c] * z[c + 1];
    if (c + n < size) sum += m.north[c] * z[c + n];
    z[c] += sum * inverse[c];
  }
  return z;
}

double dot(const Cells& a, const Cells& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// The heads of all cells.
Cells solve(const Matrix& m) {
  const double rain = 1.0 / (static_cast<double>(m.n) * m.n);  // on each cell
  Cells u(m.diagonal.size()), residual(u.size(), rain);
  const Cells inverse = inverse_pivots(m);
  Cells z = preconditioned(m, inverse, residual), direction = z;
  double rz = dot(residual, z);
  const double enough = 1e-20 * dot(residual, residual);
  for (int step = 0; step < 20 * m.n && dot(residual, residual) > enough; ++step) {
    const Cells image = times(m, direction);
    const double length = rz / dot(direction, image);
    for (std::size_t c = 0; c < u.size(); ++c) {
      u[c] += length * direction[c];
      residual[c] -= length * image[c];
    }
    z = preconditioned(m, inverse, residual);
    const double next = dot(residual, z);
    for (std::size_t c = 0; c < u.size(); ++c) direction[c] = z[c] + next / rz * direction[c];
    rz = next;
  }
  if (!(dot(residual, residual) <= enough)) throw std::runtime_error("conjugate gradients did not converge");
  return u;
}

// Bilinear between the centres of four cells.
double head_at(const Cells& u, int n, double x, double y) {
  const double column = x * n - 0.5, row = y * n - 0.5;
  const int i = static_cast<int>(column), j = static_cast<int>(row);
  const double s = column - i, t = row - j;
  const std::size_t c = static_cast<std::size_t>(j) * n + i;
  return (1 - t) * ((1 - s) * u[c] + s * u[c + 1]) + t * ((1 - s) * u[c + n] + s * u[c + n + 1]);
}

struct Well {
  double x, y, head, sd;
};

// Each line: x y, and if it is data also the head that was read and the sd of its error. # begins a comment.
std::vector<Well> read_wells(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Well> wells;
  for (std::string line; std::getline(file, line);) {
    Well well{};
    if (!line.empty() && line[0] != '#' &&
        std::sscanf(line.c_str(), "%lf %lf %lf %lf", &well.x, &well.y, &well.head, &well.sd) == 4)
      wells.push_back(well);
  }
  if (wells.empty()) throw std::runtime_error(path + " has no wells");
  return wells;
}

// The numbers behind the names in a line such as {"a": 0.5, "b": -1, ...}.
Parameters read_parameters(const std::string& line) {
  Parameters p{};
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::string key = '"' + std::string(names[i]) + "\":";
    const std::size_t found = line.find(key);
    if (found == std::string::npos) throw std::runtime_error("no parameter " + std::string(names[i]));
    p[i] = std::strtod(line.c_str() + found + key.size(), nullptr);
  }
  return p;
}

double log_likelihood(const Parameters& p, int grid, const std::vector<Well>& wells) {
  const Cells u = solve(assemble(grid, p));
  double sum = 0;
  for (const Well& well : wells) {
    const double z = (well.head - head_at(u, grid, well.x, well.y)) / well.sd;
    sum -= 0.5 * z * z + std::log(well.sd) + 0.5 * std::log(2 * std::numbers::pi);
  }
  return sum;
}

int usage() {
  std::fprintf(stderr, "usage: diffusion --grid N --data FILE [--heads a b c d e]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5 || std::string(argv[1]) != "--grid" || std::string(argv[3]) != "--data") return usage();
  const int grid = std::atoi(argv[2]);
  if (grid < 4 || grid > 4096) return usage();
  const std::vector<Well> wells = read_wells(argv[4]);
  if (argc == 11 && std::string(argv[5]) == "--heads") {
    Parameters p{};
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::strtod(argv[6 + i], nullptr);
    const Cells u = solve(assemble(grid, p));
    for (const Well& well : wells)
      std::printf("%.2f %.2f %.8f\n", well.x, well.y, head_at(u, grid, well.x, well.y));
    return 0;
  }
  if (argc != 5) return usage();
  for (std::string line; std::getline(std::cin, line);) {
    std::printf("%.17g\n", log_likelihood(read_parameters(line), grid, wells));
    std::fflush(stdout);  // unflushed, the answer would never arrive
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "diffusion: %s\n", error.what());
  return 1;
}
