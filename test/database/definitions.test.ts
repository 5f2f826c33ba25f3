import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { packageModel } from '../../src/booking/packages/packages.model.ts';
import { resourceModel, venueModel } from '../../src/catalog/venues/venues.model.ts';
import { auditModel } from '../../src/operations/audit/audit.model.ts';
import { COLLECTIONS } from '../../src/operations/database/collections.ts';
import { apiKeyModel, partnerModel } from '../../src/partners/partners.model.ts';
import type { CollectionDefinition } from '../../src/platform/ensure-collection.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { subscriptionModel } from '../../src/webhooks/subscriptions/subscriptions.model.ts';

type Row = { _id: string; status: string; rules: { id: string }[] };

// Checked by the compiler: a definition names no field that its documents do not have.
const definition: CollectionDefinition<Row> = {
  name: 'rows',
  jsonSchema: { required: ['status'], properties: { status: {} } },
  indexes: [{ name: 'by_rule', key: { 'rules.id': 1, _id: 1 }, partialFilterExpression: { status: 'active' } }],
};
// @ts-expect-error: no such field
definition.jsonSchema = { required: ['state'] };
// @ts-expect-error: no such field
definition.jsonSchema = { properties: { state: {} } };
// @ts-expect-error: no such field
definition.indexes = [{ name: 'by_state', key: { state: 1 } }];
// @ts-expect-error: no such field
definition.indexes = [{ name: 'of_state', key: { status: 1 }, partialFilterExpression: { 'state.of': 'active' } }];

const db: Db = mongoose.createConnection();
const MODELS = [
  ...[venueModel, resourceModel, packageModel].map((model) => model(db)),
  ...[partnerModel, apiKeyModel, subscriptionModel, auditModel].map((model) => model(db)),
].map(({ collection, schema }) => ({ name: collection.name, schema: schema as mongoose.Schema }));

describe.each(MODELS)('the mongoose schema of $name agrees with the validator of the database', ({ name, schema }) => {
  const { required = [], properties = {} } = COLLECTIONS.find((each) => each.name === name)?.jsonSchema ?? {};

  test('on what is required', () => {
    const isSet = ({ required: isRequired, default: fallback }: mongoose.SchemaTypeOptions<unknown>) =>
      isRequired === true || fallback !== undefined;
    expect(required.filter((field) => !isSet(schema.path(field).options))).toEqual([]);
  });

  test('on the values of enums', () => {
    const enums = Object.entries(properties as Record<string, { enum?: string[] }>).filter(([, each]) => each.enum);
    const inMongoose = enums.map(([field]) => [field, { enum: schema.path(field).options['enum'] }]);
    expect(Object.fromEntries(inMongoose)).toEqual(Object.fromEntries(enums));
  });
});
