/** How a command ended; the help of the program and its guide list them. */
export const EXIT = {
  done: 0,
  /** The service refused it, or it cannot be done as things are. */
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
  1    the service refused it, or it cannot be done as things are
  2    wrong usage: an option, an argument, a file that is not there
  3    the service was not reached, or gave no usable answer
  4    done, and what was found needs action
  130  interrupted`;
