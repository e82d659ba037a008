/**
 * Limits of every test. A limit ends a test that hangs; it asserts nothing about speed, so it leaves room for a machine ten times as slow
 * as the one the tests were written on.
 */
export const TIME_LIMITS = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000, interval: 100 } },
};
