#!/usr/bin/env bash
# Runs the suites that have a long form with larger numbers (test/support/scale.ts). Takes about 7 minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export TEST_TIER=long
npm test -- test/reservations \
  test/holds/any-free \
  test/bookings/paging \
  test/availability/agreement \
  test/slots/schedule.properties \
  test/platform/leased-writes \
  test/http/injection \
  test/alerts/conditions \
  test/subscriptions/rewrap-secrets \
  test/observability/canaries \
  test/processes/built-service \
  test/certification/each-defect
# These suites measure time, so they run alone.
npm test -- --runInBand test/http/slow-clients test/http/flood test/http/hostile-names
