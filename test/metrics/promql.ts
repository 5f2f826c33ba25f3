/** A vector selector of an expression; matchers as `[label, operator, value]`. */
export type Selector = { metric: string; matchers: [label: string, operator: string, value: string][] };

const GROUPING = /\b(?:by|without|on|ignoring) \(([^)]*)\)/g;
const OPERATORS = new Set(['and', 'or', 'unless']);

/**
 * The series that a PromQL expression selects, and the labels by which it groups them. The expression must be valid;
 * promtool checks that.
 */
export function readPromql(expr: string): { selectors: Selector[]; grouping: string[] } {
  const grouping = [...expr.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.split(/,\s*/));
  const rest = expr.replaceAll(GROUPING, '').replaceAll(/\[[^\]]*\]/g, '');
  const selectors = [...rest.matchAll(/(?<![\w$"])([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?(?![\w:]*\s*\()(?![\w:])/g)]
    .map(([, metric = '', inside = '']) => ({ metric, matchers: matchersIn(inside) }))
    .filter(({ metric }) => !OPERATORS.has(metric));
  return { selectors, grouping: grouping.filter((label) => label !== '') };
}

function matchersIn(inside: string): Selector['matchers'] {
  return [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => [
    label,
    operator,
    value,
  ]);
}
