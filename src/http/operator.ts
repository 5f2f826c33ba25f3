/** Who makes an operator's call; `via` says how it was signed in, `keyId` with which key. */
export type Operator = { via: 'api-key' | 'session'; keyId: string };
