"""The servers that are measured: ours, nginx with the same bytes, datasette with the same rows."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

APT = ["nginx-light", "wrk", "python3-venv"]


def install(folder):
    """Has nginx, wrk and datasette here, and gives the path of datasette."""
    if any(shutil.which(name) is None for name in ("wrk", "nginx")):
        print("bench: installing nginx and wrk.", file=sys.stderr)
        subprocess.run(
            ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *APT], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    datasette = folder / "bin/datasette"
    if not datasette.exists():
        print("bench: installing datasette.", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "datasette==0.65.1"], check=True)
    return datasette


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A program that listens at a port of this machine."""

    def __init__(self, arguments, port, **options):
        self.port = port
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"bench: '{arguments[0]}' ended with {self.process.returncode}.")
                time.sleep(0.05)
        sys.exit(f"bench: '{arguments[0]}' does not listen.")

    def get(self, path, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            sys.exit(f"bench: {path} gave {answer.status}: {body[:200]!r}")
        return body

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    # What the system says of the process

    def status(self, name):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def ticks(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])


def nginx(folder, files):
    """nginx as its packagers configure it for static files: one worker, sendfile, and no log."""
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log /dev/null crit;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; client_body_temp_path {folder};
  proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
  default_type application/octet-stream;
  server {{ listen 127.0.0.1:{port}; root {files}; }} }}
""")
    if os.geteuid() == 0:
        # The worker would give up root's rights, and with them the right to read the folder.
        configuration.write_text("user root;" + configuration.read_text())
    return Server([shutil.which("nginx"), "-c", str(configuration), "-p", str(folder)], port)
