package com.intellij.ide.plugins.cl;

import com.intellij.openapi.extensions.PluginDescriptor;

/** 2020.1 has the class {@code PluginClassLoader} only. */
public interface PluginAwareClassLoader {
    PluginDescriptor getPluginDescriptor();
}
