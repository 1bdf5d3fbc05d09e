<?php
// users.json changes while the tests run: {"kim:password": {"email": ["kim@example.com"], "groups": ["Sales"]}}
$config = [
    'admin' => ['core:AdminPassword'],
    'users' => ['exampleauth:UserPass'] + json_decode(file_get_contents(getenv('SLIPWAY_IDP_DIR') . '/users.json'), true),
];
