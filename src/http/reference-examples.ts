import { EXAMPLE } from './example-values.ts';

/** The values of examples that mean nothing to this deployment, by what they stand for. */
const STANDING_FOR = {
  venue: EXAMPLE.venueId,
  slot: EXAMPLE.slotId,
  resource: EXAMPLE.resourceId,
  hold: EXAMPLE.holdId,
  booking: EXAMPLE.bookingId,
  order: '2026-000731',
  date: EXAMPLE.date,
  nextDate: '2026-11-22',
};

/**
 * A plugin of Swagger UI for the partners' reference. Once a key is entered, the examples name a venue that the key sees, a slot
 * there that is free in three days, and keys of this visit; a hold that was placed, and a booking that was confirmed, are those of
 * the calls that follow. So each works as it stands, with nothing to copy. What cannot be found stays as it was.
 */
export const examplesScript = `const standingFor = ${JSON.stringify(STANDING_FOR, null, 2)};

window.ownExamples = () => {
  const own = {};
  let original;

  const show = ({ specSelectors, specActions }) => {
    original ??= specSelectors.specStr();
    const text = Object.entries(own).reduce((all, [name, value]) => all.replaceAll(standingFor[name], value), original);
    specActions.updateSpec(text);
  };
  const dayAfter = (days) => new Date(Date.now() + days * 86400000).toISOString().slice(0, 10);
  const find = async (key) => {
    const read = async (path) => {
      const response = await fetch('/api/v1' + path, { headers: { 'x-api-key': key } });
      return response.ok ? response.json() : {};
    };
    const { data: [venue] = [] } = await read('/partner/venues');
    if (venue === undefined) return undefined;
    const date = dayAfter(3);
    const { slots = [] } = await read('/slots/availability?venue_id=' + venue.venue_id + '&date=' + date);
    const free = slots.find((slot) => slot.is_available);
    const order = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
    Object.assign(own, { venue: venue.venue_id, order, date, nextDate: dayAfter(4) });
    if (free !== undefined) Object.assign(own, { slot: free.slot_id, resource: free.resource_id });
    return venue.name + ', ' + date;
  };
  const fill = async (system, key) => {
    const found = await find(key).catch(() => undefined);
    if (found === undefined) return;
    show(system);
    document.getElementById('examples').textContent = 'The examples are now of ' + found + ': try any call as it stands.';
  };
  const learn = (system, { body = {} }) => {
    if (body.hold_id !== undefined) own.hold = body.hold_id;
    if (body.booking_id !== undefined && body.booking_id !== null) own.booking = body.booking_id;
    if (own.hold !== undefined || own.booking !== undefined) show(system);
  };

  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (authorize, system) => (payload) => {
            const [{ value } = {}] = Object.values(payload);
            if (typeof value === 'string') void fill(system, value);
            return authorize(payload);
          },
        },
      },
      spec: {
        wrapActions: {
          setResponse: (setResponse, system) => (path, method, response) => {
            if (method === 'post' && response.ok) learn(system, { body: response.body });
            return setResponse(path, method, response);
          },
        },
      },
    },
  };
};
`;
