"""Reads Kubernetes objects from stdin as a JSON list; prints a JSON list of their schema violations."""

import json
import sys

import kubernetes_validate
from cloudcoil.models.keda.v1alpha1 import ScaledObject
from cloudcoil.models.prometheus_operator.v1 import PodMonitor, PrometheusRule
from pydantic import ValidationError

# The oldest release has `preStop.sleep`.
VERSIONS = ("1.30", "1.37")
EXTENSIONS = {"ScaledObject": ScaledObject, "PodMonitor": PodMonitor, "PrometheusRule": PrometheusRule}


def dropped(given, kept, place):
    """Names the unknown members, which models of extensions drop."""
    if isinstance(given, dict):
        for name, value in given.items():
            if name in kept:
                yield from dropped(value, kept[name], f"{place}.{name}")
            else:
                yield f"{place}.{name} is unknown"
    elif isinstance(given, list):
        for index, (value, own) in enumerate(zip(given, kept)):
            yield from dropped(value, own, f"{place}[{index}]")


def faults_of(manifest):
    kind = manifest["kind"]
    if kind in EXTENSIONS:
        try:
            kept = EXTENSIONS[kind].model_validate(manifest).model_dump(by_alias=True, exclude_unset=True)
            yield from dropped(manifest, kept, kind)
        except ValidationError as error:
            yield from (f"{kind}.{each['loc']}: {each['msg']}" for each in error.errors())
        return
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{version} {manifest['kind']}.{'.'.join(map(str, error.path))}: {error.message}"


print(json.dumps([fault for manifest in json.load(sys.stdin) for fault in faults_of(manifest)]))
