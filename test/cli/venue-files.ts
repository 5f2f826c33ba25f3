/** A resource in a YAML file of venues: seven lines, then `fields`. */
export const net = (name: string, fields = '') => `      - name: ${name}
        resource_type: net
        sport_category: cricket
        duration_minutes: 30
        price_rupees: 450
        operating_hours_start: '06:00'
        operating_hours_end: '22:00'
${fields}
`;

/** A YAML file of one venue. Its first resource begins in line 6. */
export const venueFile = (name: string, ...resources: string[]) => `venues:
  - name: ${name}
    address: 2 Main Road
    city: Pune
    resources:${resources.length === 0 ? ' []' : ''}
${resources.join('')}`;
