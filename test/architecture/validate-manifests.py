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


def unknown_members(manifest, parsed, path):
    """Yields a fault for each member that the model dropped because it is unknown."""
    if isinstance(manifest, dict):
        for name, value in manifest.items():
            if name in parsed:
                yield from unknown_members(value, parsed[name], f"{path}.{name}")
            else:
                yield f"{path}.{name} is unknown"
    elif isinstance(manifest, list):
        for index, (value, parsed_value) in enumerate(zip(manifest, parsed)):
            yield from unknown_members(value, parsed_value, f"{path}[{index}]")


def faults_of(manifest):
    kind = manifest["kind"]
    if kind in EXTENSIONS:
        try:
            parsed = EXTENSIONS[kind].model_validate(manifest).model_dump(by_alias=True, exclude_unset=True)
            yield from unknown_members(manifest, parsed, kind)
        except ValidationError as error:
            yield from (f"{kind}.{each['loc']}: {each['msg']}" for each in error.errors())
        return
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{version} {manifest['kind']}.{'.'.join(map(str, error.path))}: {error.message}"


print(json.dumps([fault for manifest in json.load(sys.stdin) for fault in faults_of(manifest)]))
