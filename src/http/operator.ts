/** Who makes an operator's call; `via` says how it was signed in. */
export type Operator = { via: 'api-key' | 'session' };
