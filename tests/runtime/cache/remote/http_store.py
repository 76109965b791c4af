#!/usr/bin/env python3
"""http_store.py PORT: a small HTTP store that knows If-None-Match, on 127.0.0.1, all in memory: GET, HEAD, PUT, DELETE.

What it does was written from RFC 9110, not from our client. POST /age/PATH?seconds=N makes an entry that much older.
"""
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

entries = {}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", changed=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if changed is not None:
            self.send_header("Last-Modified", formatdate(changed, usegmt=True))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        with lock:
            found = entries.get(self.path)
        if found is None:
            self.answer(404)
        else:
            self.answer(200, *found)

    do_HEAD = do_GET

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            there = self.path in entries
            refused = there and self.headers.get("If-None-Match") == "*"
            if not refused:
                entries[self.path] = (body, time.time())
        self.answer(412 if refused else 204 if there else 201)

    def do_DELETE(self):
        with lock:
            there = entries.pop(self.path, None)
        self.answer(204 if there else 404)

    def do_POST(self):
        path, _, seconds = self.path.removeprefix("/age").partition("?seconds=")
        with lock:
            body, changed = entries[path]
            entries[path] = (body, changed - int(seconds))
        self.answer(204)

    def log_message(self, *_):
        pass


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
