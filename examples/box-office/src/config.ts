export type Config = {
  baseUrl: string;
  apiKey: string;
  host: string;
  port: number;
  dataFolder: string;
  /** Has no trailing slash. Undefined if this shop is not reachable from outside. */
  publicUrl: string | undefined;
  catchUpSeconds: number;
  availabilityMaxAgeSeconds: number;
  /** The loopback port of the certification actions; undefined if they are off. */
  certificationPort: number | undefined;
};

/** Reads the settings from the environment. @throws Error that names every invalid setting */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const text = (name: string, fallback: string): string => env[name]?.trim() || fallback;
  const wholeNumber = (name: string, fallback: number, max: number): number => {
    const value = text(name, String(fallback));
    if (!/^\d{1,9}$/.test(value) || Number(value) > max)
      faults.push(`${name} is "${value}": give a whole number from 0 to ${max}`);
    return Number(value);
  };
  const url = (name: string, fallback: string): string => {
    const value = text(name, fallback);
    if (value !== '' && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
      faults.push(`${name} is "${value}": give an address such as https://shop.example`);
    return value.replace(/\/+$/, '');
  };
  const config: Config = {
    baseUrl: url('PARTNER_BASE_URL', 'http://127.0.0.1:3000'),
    apiKey: text('PARTNER_API_KEY', ''),
    host: text('HOST', '127.0.0.1'),
    port: wholeNumber('PORT', 4000, 65_535),
    dataFolder: text('DATA_DIR', 'data'),
    publicUrl: url('PUBLIC_URL', '') || undefined,
    catchUpSeconds: wholeNumber('CATCH_UP_SECONDS', 60, 86_400),
    availabilityMaxAgeSeconds: wholeNumber('AVAILABILITY_MAX_AGE_SECONDS', 15, 86_400),
    certificationPort: text('CERTIFICATION_PORT', '') === '' ? undefined : wholeNumber('CERTIFICATION_PORT', 0, 65_535),
  };
  if (config.apiKey === '') faults.push('PARTNER_API_KEY is empty: set the key that the operator gave you');
  if (config.catchUpSeconds === 0) faults.push('CATCH_UP_SECONDS is 0: give at least 1');
  if (faults.length > 0) throw new Error(`The settings have faults:\n  ${faults.join('\n  ')}`);
  return config;
}
