/**
 * A self-signed certificate for localhost and 127.0.0.1 with its key, valid from 2020 to 2120. It protects nothing;
 * tests use it for servers with untrusted certificates.
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUKlrVrZ4435/1XFs
2Swfvcwonik1/EZpymHy43C6QM2hRANCAAS/3hm5LCkWGDqLIoOP1Juixp4R/dtB
OyzObvzJ8z9ERJTibZgNyfnYrLk7Ujb0Jsme1FUMmGdokqYJwTvtbkZR
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBNTCB3aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEv94ZuSwpFhg6iyKD
j9SbosaeEf3bQTsszm78yfM/RESU4m2YDcn52Ky5O1I29CbJntRVDJhnaJKmCcE7
7W5GUaMeMBwwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMC
A0cAMEQCIDCLt2wUEYXj27DsUv+plpSbKl5DiDGJ/9kvpXQoW45XAiB3/09OajGa
aYCbYm3nmm4w/WFgnjjIdWg8ARzQEGycNQ==
-----END CERTIFICATE-----
`,
};
