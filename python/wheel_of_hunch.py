"""How pip builds Hunch (PEP 517 and 660): CMake makes the module, and this puts it into a wheel. Nothing is downloaded.

CMake works in build/pip, so that a second installation is quick; `--config-settings build-dir=...` says where else.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMES = (2020, 1, 1, 0, 0, 0)  # of all files, so that the same files make the same wheel


def _project():
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    found = re.search(r"project\(hunch VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    return {**project, "version": found.group(1)}


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _info_files(project):
    wheel = f"Wheel-Version: 1.0\nGenerator: {project['name']} {project['version']}\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    folder = f"{project['name']}-{project['version']}.dist-info"
    return {f"{folder}/METADATA": _metadata(project).encode(), f"{folder}/WHEEL": wheel.encode(),
            f"{folder}/LICENSE": (ROOT / "LICENSE").read_bytes()}


def _built(settings):
    """The folder that has the package hunch in it, module included."""
    build = pathlib.Path((settings or {}).get("build-dir", ROOT / "build" / "pip")).absolute()
    module = build / "python" / "hunch" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():  # else it was made for this Python before, and is brought up to date as it was set up
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DHUNCH_PYTHON=ON",
                        "-DHUNCH_TESTS=OFF", "-DHUNCH_BENCH=OFF", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "hunch_python"], check=True)
    return build / "python"


def _write_wheel(folder, project, files):
    name = f"{project['name']}-{project['version']}"
    files = {**files, **_info_files(project)}
    record = io.StringIO()
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.write(f"{path},sha256={digest},{len(content)}\n")
    record.write(f"{name}.dist-info/RECORD,,\n")
    files[f"{name}.dist-info/RECORD"] = record.getvalue().encode()
    wheel = f"{name}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIMES)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _built(config_settings) / "hunch"
    kept = sorted(file for file in package.iterdir() if file.suffix in (".py", ".pyi", ".so", ".typed"))
    return _write_wheel(wheel_directory, _project(), {f"hunch/{file.name}": file.read_bytes() for file in kept})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays in the build folder, whose Python files are links to ours."""
    path = f"{_built(config_settings)}\n".encode()
    return _write_wheel(wheel_directory, _project(), {"hunch_editable.pth": path})


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    files = _info_files(_project())
    for path, content in files.items():
        target = pathlib.Path(metadata_directory, path)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(content)
    return target.parent.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    name = f"{project['name']}-{project['version']}"
    with tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz") as archive:
        for part in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "cmake", "data", "python", "src"):
            archive.add(ROOT / part, f"{name}/{part}", filter=lambda e: None if "__pycache__" in e.name else e)
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        content = _metadata(project).encode()
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return f"{name}.tar.gz"
