import json
import os

from django.http import HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from verify_webhook import WebhookRefused, verify_webhook

queue = []  # yours: a table, SQS, Redis


@csrf_exempt
@require_POST
def webhooks(request):
    get = request.headers.get
    signatures = get("X-Service-Signature"), get("X-Service-Signature-Previous")
    try:
        verify_webhook(request.body, get("X-Service-Timestamp"), *signatures, os.environ["SECRET_KEY"])
    except WebhookRefused as refused:
        return JsonResponse({"reason": str(refused)}, status=401)
    queue.append(json.loads(request.body))
    return HttpResponse(status=204)
