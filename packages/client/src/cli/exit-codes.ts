/** How a command ended; the help of the program and its guide list them. */
export const EXIT = {
  done: 0,
  /** The service rejected it, or it is not possible now. */
  refused: 1,
  usage: 2,
  /** The service was not reached, or gave no usable answer. */
  unreachable: 3,
  /** It was looked into, and something needs action. */
  attention: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0    done
  1    the service rejected it, or it is not possible now
  2    wrong usage: an option, an argument, a missing file
  3    the service was not reached, or gave no usable answer
  4    done, and something needs action
  130  interrupted`;
