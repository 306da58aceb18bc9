"""The build brings Rust where it is missing, here with a stand-in for the installer."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support.pages import ROOT

INSTALLER = """#!/bin/sh
# What rustup-init leaves behind: here, programs that call those of this machine.
echo "$@" > "{told}"
mkdir -p "$CARGO_HOME/bin"
for name in cargo rustc; do
    {{
        echo '#!/bin/sh'
        echo 'unset RUSTUP_HOME CARGO_HOME'
        echo 'PATH="{real}:$PATH"'
        echo "exec $name \\"\\$@\\""
    }} > "$CARGO_HOME/bin/$name"
    chmod +x "$CARGO_HOME/bin/$name"
done
"""


@pytest.mark.long
def test_a_wheel_is_built_without_rust_on_the_path(tmp_path: Path) -> None:
    cargo = shutil.which("cargo")
    if cargo is None or sys.platform != "linux":
        pytest.skip("needs Rust for its stand-in, on Linux")
    told, real = tmp_path / "told", Path(cargo).parent
    installer = INSTALLER.format(told=told, real=real).encode()

    class Site(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(installer)))
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            assert self.path.startswith("/dist/")
            assert self.path.endswith("/rustup-init")
            self.wfile.write(installer)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = str(Path(sys.executable).parent)
        path = os.pathsep.join(
            [here]
            + [
                folder
                for folder in os.environ["PATH"].split(os.pathsep)
                if folder and not (Path(folder) / "cargo").exists()
            ]
        )
        assert shutil.which("cargo", path=path) is None
        environment = os.environ | {
            "PATH": path,
            "RUSTUP_UPDATE_ROOT": f"http://127.0.0.1:{server.server_address[1]}",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "CARGO_TARGET_DIR": str(ROOT / "target"),
        }
        environment.pop("MATURIN_NO_INSTALL_RUST", None)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path)),
                *("--config-settings", "build-args=--profile quick --locked", str(ROOT)),
            ],
            env=environment,
            capture_output=True,
            text=True,
        )
        server.shutdown()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--profile minimal" in told.read_text()
    assert list(tmp_path.glob("nestor-*-cp311-abi3-*.whl"))
