import type { VNode } from 'preact';
import { pageQuery } from '../http/fields.ts';
import { listPartners } from '../partners/partners.service.ts';
import { ApiForm, InputField } from './forms.tsx';
import { listingPage } from './listing.tsx';
import { Badge, When } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

/** All partners, and a way to register one. */
export const partnersPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(pageQuery, request.query);
  const page = await listPartners(deps.db, { after: query.cursor, limit: query.limit });
  const timeZone = deps.config.defaultTimeZone;
  return listingPage({
    section: '/partners',
    filters: [],
    query: request.query,
    faults,
    above: <Register />,
    caption: `Partners, oldest first; times in ${timeZone}`,
    columns: ['Partner', 'Status', 'Contact', 'Certified', 'Since'],
    row: (row) => [
      <a href={`/partners/${row._id}`}>{row.name}</a>,
      <Badge state={row.status} />,
      row.contactEmail,
      <When at={row.certifiedAt} timeZone={timeZone} />,
      <When at={row.createdAt} timeZone={timeZone} />,
    ],
    empty: 'No partner is registered yet.',
    page,
  });
};

function Register(): VNode {
  return (
    <details>
      <summary>Register a partner</summary>
      <ApiForm class="stack" call="POST /api/v1/operator/partners" done="The partner is registered.">
        <InputField id="partner-name" label="Name" name="name" required maxlength={120} />
        <InputField
          id="partner-email"
          label="Contact email"
          name="contact_email"
          type="email"
          required
          maxlength={254}
        />
        <button class="primary">Register</button>
      </ApiForm>
    </details>
  );
}
