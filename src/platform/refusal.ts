/** The process must not go on. The message says why and what to do; it is logged without a stack. */
export class Refusal extends Error {}
