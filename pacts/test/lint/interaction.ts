/** Builds the interactions of pacts for the tests of lint. */

export const key = { Authorization: ['Bearer any'] };
export const json = { 'Content-Type': ['application/json'] };
export const type = { combine: 'AND', matchers: [{ match: 'type' }] };
export const regex = (pattern: string) => ({ combine: 'AND', matchers: [{ match: 'regex', regex: pattern }] });
export const animal = { id: 1, name: 'Mia', categoryId: 1 };
export const error = (status: number, more: object = {}) => ({ code: 'a', message: 'b', status, ...more });
export const content = (value: unknown) => ({ contentType: 'application/json', encoded: false, content: value });
export const alike = { body: { $: type } };
export const errorRules = { body: { '$.code': type, '$.message': type } };
export const unknown = { name: 'no animal has this id' };
export const exists = { name: 'an animal exists' };

export interface Case {
  readonly states?: readonly object[];
  readonly comments?: object;
  readonly request?: object;
  readonly response: object;
}

export function pactOf({ states = [], comments = {}, request = {}, response }: Case): object {
  const interaction = {
    type: 'Synchronous/HTTP',
    description: 'it',
    comments,
    providerStates: states,
    request: { method: 'GET', path: '/pets', headers: key, ...request },
    response,
  };
  return {
    consumer: { name: 'c' },
    provider: { name: 'pet-store' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '4.0' } },
  };
}

export const page = (value: unknown, rules: object = alike) => ({
  status: 200,
  headers: json,
  body: content(value),
  matchingRules: rules,
});
export const read = (value: unknown, rules: object = alike, status = 200) => ({
  status,
  headers: json,
  body: content(value),
  matchingRules: rules,
});
export const creation = (body: unknown, headers: object = { ...key, ...json }) => ({
  method: 'POST',
  headers,
  body: content(body),
});
