<?php
/**
 * Plugin Name: Slipway Boats
 * Description: Shows the boats of your Slipway website, a boat, or a form for inquiries, with shortcodes.
 * Version: 1.0.0
 * Requires at least: 6.0
 * Requires PHP: 8.0
 * License: Apache-2.0
 *
 * [slipway_boats filter="condition=used" limit="6"]
 * [slipway_boat stock="GW-1027"]
 * [slipway_form stock="GW-1027"]
 *
 * Set the address of your website under Settings > Slipway Boats. The plugin needs no key: it only
 * shows what your website shows to everyone.
 */

defined('ABSPATH') || exit;

/** The attributes that each element knows. */
const SLIPWAY_ELEMENTS = [
    'slipway_boats' => ['element' => 'slipway-boats', 'attributes' => ['filter', 'limit', 'theme', 'channel']],
    'slipway_boat'  => ['element' => 'slipway-boat', 'attributes' => ['stock', 'theme', 'channel']],
    'slipway_form'  => ['element' => 'slipway-form', 'attributes' => ['stock', 'theme', 'channel']],
];

/** Returns the address of the website, such as https://slipway.example.com/b/chesapeake-marine. */
function slipway_address(): string
{
    return rtrim((string) get_option('slipway_address', ''), '/');
}

/** Accepts an https address, and an http address only for tests on this machine. */
function slipway_clean_address($value): string
{
    $address = rtrim(esc_url_raw(trim((string) $value)), '/');
    $host = parse_url($address, PHP_URL_HOST);
    $secure = str_starts_with($address, 'https://') || in_array($host, ['localhost', '127.0.0.1'], true);
    if ($address !== '' && !$secure) {
        add_settings_error('slipway_address', 'slipway_address', 'The address must start with https://.');
        return slipway_address();
    }
    return $address;
}

/** Returns the element for a shortcode. The link inside stays until the boats are there. */
function slipway_render($given, $content, string $shortcode): string
{
    $address = slipway_address();
    if ($address === '') {
        return current_user_can('manage_options') ? '<p>Set the address of your website under Settings &gt; Slipway Boats.</p>' : '';
    }
    wp_enqueue_script('slipway-embed', $address . '/embed.js', [], null, ['strategy' => 'async', 'in_footer' => true]);
    $known = SLIPWAY_ELEMENTS[$shortcode];
    $attributes = '';
    foreach (shortcode_atts(array_fill_keys($known['attributes'], ''), $given, $shortcode) as $name => $value) {
        if ($value !== '') {
            $attributes .= ' ' . $name . '="' . esc_attr($value) . '"';
        }
    }
    return "<{$known['element']}{$attributes}><a href=\"" . esc_url($address . '/') . '">Our boats</a>' . "</{$known['element']}>";
}

foreach (array_keys(SLIPWAY_ELEMENTS) as $shortcode) {
    add_shortcode($shortcode, 'slipway_render');
}

add_action('admin_init', function (): void {
    register_setting('slipway', 'slipway_address', ['type' => 'string', 'sanitize_callback' => 'slipway_clean_address', 'default' => '']);
});

add_action('admin_menu', function (): void {
    add_options_page('Slipway Boats', 'Slipway Boats', 'manage_options', 'slipway', function (): void {
        echo '<div class="wrap"><h1>Slipway Boats</h1><form action="options.php" method="post">';
        settings_fields('slipway');
        echo '<p><label for="slipway_address">Address of your website in Slipway</label></p>';
        printf('<p><input id="slipway_address" name="slipway_address" type="url" class="regular-text" value="%s" placeholder="https://slipway.example.com/b/chesapeake-marine"></p>',
            esc_attr(slipway_address()));
        submit_button();
        echo '</form></div>';
    });
});
