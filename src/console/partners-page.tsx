import type { VNode } from 'preact';
import { pageQuery } from '../http/fields.ts';
import type { PartnerRow } from '../partners/partners.model.ts';
import { listPartners } from '../partners/partners.service.ts';
import { ApiForm, Field } from './forms.tsx';
import { listingPage } from './listing.tsx';
import { Badge, When } from './parts.tsx';
import type { PageHandler } from './request.ts';
import { readQuery } from './request.ts';

/** All partners, and a way to register one. */
export const partnersPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(pageQuery, request.query);
  const page =
    query === undefined
      ? { rows: [], next: null }
      : await listPartners(deps.db, { after: query.cursor, limit: query.limit });
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/partners',
    title: 'Partners',
    filters: [],
    request,
    faults,
    above: <Register />,
    table: {
      caption: `Partners, oldest first; times in ${timeZone}`,
      columns: ['Partner', 'Status', 'Contact', 'Certified', 'Since'],
      rows: page.rows.map((row) => <Row key={row._id} row={row} timeZone={timeZone} />),
      empty: 'No partner is registered yet.',
    },
    next: page.next,
  });
};

function Row({ row, timeZone }: { row: PartnerRow; timeZone: string }): VNode {
  return (
    <tr>
      <th scope="row">
        <a href={`/partners/${row._id}`}>{row.name}</a>
      </th>
      <td>
        <Badge state={row.status} />
      </td>
      <td>{row.contactEmail}</td>
      <td>
        <When at={row.certifiedAt} timeZone={timeZone} />
      </td>
      <td>
        <When at={row.createdAt} timeZone={timeZone} />
      </td>
    </tr>
  );
}

function Register(): VNode {
  return (
    <details>
      <summary>Register a partner</summary>
      <ApiForm class="stack" call="POST /api/v1/operator/partners" done="The partner is registered.">
        <Field id="partner-name" label="Name">
          <input id="partner-name" name="name" required maxlength={120} />
        </Field>
        <Field id="partner-email" label="Contact email">
          <input id="partner-email" name="contact_email" type="email" required maxlength={254} />
        </Field>
        <button class="primary">Register</button>
      </ApiForm>
    </details>
  );
}
