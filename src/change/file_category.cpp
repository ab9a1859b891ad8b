#include <algorithm>
#include <array>
#include <utility>

#include "base/paths.h"
#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"

namespace lockstep::change {

namespace {

using Entry = std::pair<std::string_view, FileCategory>;
constexpr auto kCi = FileCategory::kCi;
constexpr auto kBuild = FileCategory::kBuild;
constexpr auto kDependencies = FileCategory::kDependencies;
constexpr auto kDocs = FileCategory::kDocs;
constexpr auto kConfig = FileCategory::kConfig;

/// Globs on the whole path; the first that fits decides.
constexpr auto kPaths = std::to_array<Entry>({
    {".github/workflows/**", kCi},
    {".github/actions/**", kCi},
    {".github/scripts/**", kCi},
    {".gitlab/**", kCi},
    {".circleci/**", kCi},
    {".buildkite/**", kCi},
    {".ci/**", kCi},
    {".jenkins/**", kCi},
    {"**/.gitlab-ci.yml", kCi},
    {"**/Jenkinsfile*", kCi},
    {"**/azure-pipelines*.yml", kCi},
    {".github/*.yml", kCi},
    {".github/*.yaml", kCi},
    {"**/CODEOWNERS", kCi},
});

/// Globs on the last component.
constexpr auto kNames = std::to_array<Entry>({
    {"requirements*.txt", kDependencies},
    {"requirements*.in", kDependencies},
    {"constraints*.txt", kDependencies},
    {"uv.lock", kDependencies},
    {"poetry.lock", kDependencies},
    {"pdm.lock", kDependencies},
    {"Pipfile", kDependencies},
    {"Pipfile.lock", kDependencies},
    {"environment*.yml", kDependencies},
    {"package.json", kDependencies},
    {"package-lock.json", kDependencies},
    {"Cargo.lock", kDependencies},
    {".gitmodules", kDependencies},
    {"pyproject.toml", kBuild},
    {"setup.py", kBuild},
    {"setup.cfg", kBuild},
    {"Makefile", kBuild},
    {"*.mk", kBuild},
    {"CMakeLists.txt", kBuild},
    {"*.cmake", kBuild},
    {"Dockerfile*", kBuild},
    {"*.Dockerfile", kBuild},
    {"MANIFEST.in", kBuild},
    {"docker-compose*", kBuild},
    {"BUILD", kBuild},
    {"BUILD.bazel", kBuild},
    {"Cargo.toml", kBuild},
    {"README*", kDocs},
    {"LICENSE*", kDocs},
    {"CHANGELOG*", kDocs},
    {"CONTRIBUTING*", kDocs},
    {"NOTICE*", kDocs},
    {".gitignore", kConfig},
    {".gitattributes", kConfig},
    {".editorconfig", kConfig},
    {".pylintrc", kConfig},
    {".flake8", kConfig},
    {".python-version", kConfig},
    {".dockerignore", kConfig},
});

/// By the ending of the name, lower case.
constexpr auto kEndings = std::to_array<Entry>({
    {".py", FileCategory::kSource},
    {".pyi", FileCategory::kSource},
    {".pyx", FileCategory::kNative},
    {".md", kDocs},
    {".rst", kDocs},
    {".txt", kDocs},
    {".adoc", kDocs},
    {".yaml", kConfig},
    {".yml", kConfig},
    {".toml", kConfig},
    {".json", kConfig},
    {".ini", kConfig},
    {".cfg", kConfig},
    {".conf", kConfig},
    {".env", kConfig},
    {".c", FileCategory::kNative},
    {".cc", FileCategory::kNative},
    {".cpp", FileCategory::kNative},
    {".cxx", FileCategory::kNative},
    {".h", FileCategory::kNative},
    {".hpp", FileCategory::kNative},
    {".cuh", FileCategory::kNative},
    {".cu", FileCategory::kNative},
    {".inl", FileCategory::kNative},
    {".rs", FileCategory::kNative},
    {".sh", FileCategory::kScript},
    {".bash", FileCategory::kScript},
    {".zsh", FileCategory::kScript},
    {".ps1", FileCategory::kScript},
    {".slurm", FileCategory::kScript},
    {".sbatch", FileCategory::kScript},
    {".sub", FileCategory::kScript},
    {".csv", FileCategory::kData},
    {".tsv", FileCategory::kData},
    {".jsonl", FileCategory::kData},
    {".parquet", FileCategory::kData},
    {".npz", FileCategory::kData},
    {".npy", FileCategory::kData},
    {".pt", FileCategory::kData},
    {".safetensors", FileCategory::kData},
    {".pkl", FileCategory::kData},
    {".h5", FileCategory::kData},
    {".model", FileCategory::kData},
    {".ipynb", FileCategory::kNotebook},
    {".png", FileCategory::kBinary},
    {".jpg", FileCategory::kBinary},
    {".jpeg", FileCategory::kBinary},
    {".gif", FileCategory::kBinary},
    {".webp", FileCategory::kBinary},
    {".ico", FileCategory::kBinary},
    {".pdf", FileCategory::kBinary},
    {".zip", FileCategory::kBinary},
    {".gz", FileCategory::kBinary},
    {".whl", FileCategory::kBinary},
    {".so", FileCategory::kBinary},
    {".bin", FileCategory::kBinary},
    {".ttf", FileCategory::kBinary},
    {".woff2", FileCategory::kBinary},
    {".mp4", FileCategory::kBinary},
});

bool is_below_tests(std::string_view path) {
  for (const std::string_view part : split(path, '/')) {
    if (part.data() + part.size() == path.data() + path.size()) return false;  // The file's own name.
    if (part == "tests" || part == "test") return true;
  }
  return false;
}

}  // namespace

FileCategory file_category(std::string_view path) {
  const std::string_view name = name_of(path);
  for (const auto& [glob, category] : kPaths) {
    if (glob_match(glob, path)) return category;
  }
  if (is_below_tests(path) || (path.ends_with(".py") && program::is_test_path(path))) return FileCategory::kTest;
  for (const auto& [glob, category] : kNames) {
    if (glob_match(glob, name)) return category;
  }
  const std::string lower = to_lower(name);
  for (const auto& [ending, category] : kEndings) {
    if (lower.ends_with(ending)) return category;
  }
  return path.starts_with("docs/") ? kDocs : FileCategory::kOther;
}

}  // namespace lockstep::change
