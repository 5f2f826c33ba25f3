import json
import os

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from verify_webhook import WebhookRefused, verify_webhook

app = FastAPI()
queue = []  # yours: a table, SQS, Redis


@app.post("/webhooks")
async def webhooks(request: Request) -> Response:
    body = await request.body()  # not a model as parameter: that parses it
    get = request.headers.get
    signatures = get("X-Service-Signature"), get("X-Service-Signature-Previous")
    try:
        verify_webhook(body, get("X-Service-Timestamp"), *signatures, os.environ["SECRET_KEY"])
    except WebhookRefused as refused:
        return JSONResponse({"reason": str(refused)}, status_code=401)
    queue.append(json.loads(body))
    return Response(status_code=204)
