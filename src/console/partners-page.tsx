import { listPartners } from '../partners/partners.service.ts';
import { ApiForm, Field } from './forms.tsx';
import { Badge, Heading, Table, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** All partners, and a way to register one. */
export const partnersPage: PageHandler = async (deps) => {
  const partners = await listPartners(deps);
  const timeZone = deps.config.defaultTimeZone;
  return {
    title: 'Partners',
    section: '/partners',
    content: (
      <>
        <Heading title="Partners" />
        <Table
          caption={`Partners; times in ${timeZone}`}
          columns={['Partner', 'Status', 'Contact', 'Certified', 'Since']}
          rows={partners.map((partner) => (
            <tr key={partner._id}>
              <th scope="row">
                <a href={`/partners/${partner._id}`}>{partner.name}</a>
              </th>
              <td>
                <Badge state={partner.status} />
              </td>
              <td>{partner.contactEmail}</td>
              <td>
                <When at={partner.certifiedAt} timeZone={timeZone} />
              </td>
              <td>
                <When at={partner.createdAt} timeZone={timeZone} />
              </td>
            </tr>
          ))}
          empty="No partner is registered yet."
        />
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
      </>
    ),
  };
};
