import json
import os

from flask import Flask, request
from verify_webhook import WebhookRefused, verify_webhook

app = Flask(__name__)
queue = []  # yours: a table, SQS, Redis


@app.post("/webhooks")
def webhooks():
    body = request.get_data()  # before request.json; empty after request.form
    get = request.headers.get
    signatures = get("X-Service-Signature"), get("X-Service-Signature-Previous")
    try:
        verify_webhook(body, get("X-Service-Timestamp"), *signatures, os.environ["SECRET_KEY"])
    except WebhookRefused as refused:
        return {"reason": str(refused)}, 401
    queue.append(json.loads(body))
    return "", 204
