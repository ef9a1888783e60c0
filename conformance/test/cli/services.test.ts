/** What `petstore-server --service ID` serves: the services under which clients run, and those of the self-test. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findServerOptions } from '../../cli/services.ts';
import { amongOthers } from '../../clients/services.ts';

test('a service for clients answers pages of any origin, has animals of others unless it is the reference, and says what it does', () => {
  const [reference, ordered] = [findServerOptions('reference'), findServerOptions('list-order=newest-first')];
  assert.equal([reference.animals, ordered.animals], [[], amongOthers.animals]);
  assert.equal([reference.gaps?.cors, ordered.gaps?.cors], ['any-origin', 'any-origin']);
  assert.is(ordered.gaps?.['list-order'], 'newest-first');
  assert.is(findServerOptions('cache-of-30-s').meaning, 'As of: nginx: proxy_cache.');
  assert.match(ordered.meaning ?? '', /^In reverse order of creation\. The category \d+ is known\.$/);
});

test.run();
