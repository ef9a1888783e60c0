#!/usr/bin/env node
/** The command petstore-server: the twin of the reference server, with the faults of the kit. */

import { petstoreServer } from '../../reference-server/twin/cli.ts';

await petstoreServer(() => import('../sections/faults.ts'));
