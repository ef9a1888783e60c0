/** The operations and statuses of openapi.yaml; `npm run generate types` writes this file. */

export const operations = {
  listPets: {
    method: 'GET',
    path: '/pets',
    parameters: {
      limit: { in: 'query', required: false, type: 'integer', minimum: 1, maximum: 100, default: 20 },
      status: { in: 'query', required: false, schema: 'PetStatus' },
    },
    answers: { 200: 'Pets', 401: 'Error' },
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    parameters: {},
    body: 'NewPet',
    answers: { 201: 'Pet', 400: 'Error', 401: 'Error' },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    parameters: { petId: { in: 'path', required: true, type: 'integer', format: 'int64' } },
    answers: { 200: 'Pet', 401: 'Error', 404: 'Error' },
    deprecated: true,
  },
} as const;

/** The states of an animal (§2, §3). */
export const petStatuses = ['available', 'pending', 'sold'] as const;
