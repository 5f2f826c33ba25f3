"""Checks verify_webhook against the vectors: python3 -B test_vectors.py. VECTORS names another file."""

import base64
import json
import os
import pathlib
import unittest

from verify_webhook import WebhookRefused, verify_webhook

FILE = os.environ.get("VECTORS") or pathlib.Path(__file__).resolve().parent.parent / "vectors.json"


def verdict_on(vector):
    headers = vector["headers"]
    try:
        verify_webhook(
            base64.b64decode(vector["body_base64"]),
            headers.get("X-Service-Timestamp"),
            headers.get("X-Service-Signature"),
            headers.get("X-Service-Signature-Previous"),
            vector["secret_key"],
            vector["now"],
        )
    except WebhookRefused as refusal:
        return "reject", str(refusal)
    return "accept", None


class Vectors(unittest.TestCase):
    def test_every_vector_gets_its_verdict(self):
        vectors = json.loads(pathlib.Path(FILE).read_text(encoding="utf-8"))["vectors"]
        self.assertGreater(len(vectors), 0)
        for vector in vectors:
            with self.subTest(vector["name"]):
                self.assertEqual(verdict_on(vector), (vector["expected"], vector["reason"]))
        print(f"{len(vectors)} vectors read")


if __name__ == "__main__":
    unittest.main()
