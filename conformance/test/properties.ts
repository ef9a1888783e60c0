/**
 * fast-check as every property test takes it: a failing property shows the error that its values cause, in the same text as
 * these values. uvu prints no cause of an error.
 */

import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });

export { fc };
